"""Parse preprocessing that works column by column: what each input of the model behind it depends on."""
