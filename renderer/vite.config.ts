import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * The pages run under `default-src 'self'`: every script and font is a file of its own, nothing is
 * inlined.
 *
 * A browser reads the first script before it shows anything, so that it holds what Home needs and
 * no more; all else is a second one, fetched once Home is there: a page opens while the server is
 * away or has been updated since. They are two and not a file for each page, because 130 small
 * files took half as much time again.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    target: 'es2024',
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: 'english', test: /(?:i18n|words)\/en[./]/, priority: 1 },
            { name: 'indonesian', test: /(?:i18n|words)\/id[./]/, priority: 1 },
            { name: 'later', test: () => true },
          ],
        },
      },
    },
  },
})
