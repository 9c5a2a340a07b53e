"""Leaderboards: systems ordered by their means."""

from rankreport.leaderboards._best_by_measure import first_on_others, standings
from rankreport.leaderboards._leaderboard import Leaderboard, leaderboard
