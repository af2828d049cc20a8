"""Playing many games: plan, batch loop, runner, trace."""
