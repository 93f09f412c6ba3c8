"""Why programs come to an end: ranks, justice and rest at control points; and runs in which they do not."""
