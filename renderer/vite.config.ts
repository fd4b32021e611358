import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The pages run under `default-src 'self'`: every script and font is a file of its own, nothing is inlined. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    target: 'es2024',
  },
})
