"""Planning: how many queries are needed to detect a difference."""

from rankreport.planning._plan import Plan, plan
