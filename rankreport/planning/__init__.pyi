from rankreport.planning._plan import FORMATS, PLAN_CAUTIONS, Plan, plan

__all__ = ["FORMATS", "PLAN_CAUTIONS", "Plan", "plan"]
