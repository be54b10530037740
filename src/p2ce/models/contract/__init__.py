"""What a model family delivers: margins, and how they are added up."""
