"""The agent's desk: tools declared once, their toolsets, and the gate in front of them."""
