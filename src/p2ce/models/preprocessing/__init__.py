"""Parse preprocessing that works column by column: on which column each model input depends, and how."""
