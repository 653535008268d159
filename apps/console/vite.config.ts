import { reactRouter } from '@react-router/dev/vite';
import tailwindcss from '@tailwindcss/vite';
import { join } from 'node:path';
import { defineConfig } from 'vite';

// The renderer bundles all dependencies: the server image has no packages for the console.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss(), reactRouter()],
  environments: {
    ssr: {
      // The development build of React renders at half the speed.
      define: { 'process.env.NODE_ENV': JSON.stringify('production') },
      // Reduces the size of the image.
      build: { minify: true, rollupOptions: { input: join(import.meta.dirname, 'app/renderer.server.ts') } },
      resolve: { noExternal: true },
    },
  },
  // scripts/build.ts empties the folder.
  build: { target: 'es2023', emptyOutDir: false, reportCompressedSize: false },
  logLevel: 'warn',
});
