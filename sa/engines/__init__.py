"""The engines behind one protocol: what each can answer, their order, and the checking of what they say."""
