// Made by tests/make_thumbnails.mjs from runs of the examples; thumbnails.webp holds the pictures in this order.
export const kTileWidth = 192, kTileHeight = 120, kTilesPerRow = 8;   // px
export const kThumbnails: string[] = [];
