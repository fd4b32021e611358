import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * The pages run under `default-src 'self'`: every script and font is a file of its own, nothing is inlined.
 *
 * One script holds every page: each opens while the server is away or has been updated since, and 130 small files
 * took the browser half as much time again as this one.
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
    rolldownOptions: { output: { codeSplitting: false } },
  },
})
