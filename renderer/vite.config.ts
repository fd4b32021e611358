import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * The pages run under `default-src 'self'`, so every script and font is a file and nothing is
 * inlined.
 *
 * A browser reads the first script before it shows anything, so this script holds only what Home
 * needs. All else is a second script, fetched after Home is drawn, so that pages open even if the
 * server is away or was updated. There is no file for each page, because 130 small files took half
 * as much time again.
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
