import { defineConfig } from 'vite';

// The files have fixed names, so that a change of a source changes only the built files that contain it.
// No source maps and no dates: the same sources and packages give the same bytes.
export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es', rollupOptions: { output: { entryFileNames: '[name].js' } } },
  build: {
    outDir: 'dist',
    assetsDir: '.',
    assetsInlineLimit: 0,
    modulePreload: false,
    target: 'es2022',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' },
    },
  },
});
