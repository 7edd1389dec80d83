// One page, one script, one style sheet, with fixed names: the command embeds them as a table, and a replay
// puts them into a single file.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  base: './',
  build: {
    outDir: '../build/web',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      output: {
        entryFileNames: 'page.js',
        assetFileNames: 'page[extname]',
        inlineDynamicImports: true,
      },
    },
  },
  test: { include: ['unit/**/*.test.ts'], environment: 'node' },
});
