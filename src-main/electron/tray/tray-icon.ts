/** The mark of the application in 32 by 32 pixels, as a PNG. */
export const TRAY_ICON =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAAoUlEQVR42u2XzQ2AIAyFu1HPTtO1Oopj9MosHDQxaIRo/EMfEkjehZC+jwKhJRajRB2LKYs5FvMsNjyUD7E0xI78UnPNYHgk3QPoPzCf1acA+qF5lIn5zAeQOtTulyxQuKEoAEeZntrtJ0pA80mXAdajeIAza+sB2Jr/N8AVowbQABpAnQDF/oZvAMALEnhJBi9K4WU5vDEpojUrojmFtOcjQ1cO0q7CFD8AAAAASUVORK5CYII=';
