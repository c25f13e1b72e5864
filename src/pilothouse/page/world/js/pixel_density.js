// Device pixels per CSS pixel: that of the screen, times the zoom.
export const pixelDensity = () => devicePixelRatio;
