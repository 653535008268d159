import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { join } from 'node:path';
import { defineConfig } from 'vite';

// The renderer has everything in it: the server image carries no package for the console.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss(), reactRouter()],
  environments: {
    ssr: {
      // Whatever the process says of itself: React's development build renders at half the speed.
      define: { 'process.env.NODE_ENV': JSON.stringify('production') },
      // Small, as the image of the server has to be.
      build: { minify: true, rollupOptions: { input: join(import.meta.dirname, 'app/renderer.server.ts') } },
      resolve: { noExternal: true },
    },
  },
  // scripts/build.ts empties the folder.
  build: { target: 'es2023', emptyOutDir: false, reportCompressedSize: false },
  logLevel: 'warn',
});
