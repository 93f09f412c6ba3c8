"""What is asked: the goals of `refine` and the claims of `verify`, made from programs; and what engines may answer."""
