import { defineConfig } from 'vite';

/** Links are relative: a proxy or a host application may put the dashboard below a path of its own. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
