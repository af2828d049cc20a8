"""MON: Emblems of Sengoku."""
