// Sizes that only a document knows.

// Device pixels for each CSS pixel: what the screen has, times the zoom.
ph.density = () => devicePixelRatio;
