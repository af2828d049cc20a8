"""The Sengoku general card game (busho)."""
