"""Draw charts as SVG for pages: small, fluid on a phone, with text that can be selected."""
