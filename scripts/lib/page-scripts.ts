/** Replaces `x.source.ts` by the source of the page script `x.page.ts`. Bundles contain neither esbuild nor TypeScript. */
import type { Plugin } from 'esbuild';
import { bundlePageScript } from '../../libs/surface/page-elements/src/page-script.ts';

export const pageScripts: Plugin = {
  name: 'page-scripts',
  setup({ onLoad }) {
    onLoad({ filter: /\.source\.ts$/ }, ({ path }) => {
      const { source } = bundlePageScript(path.replace(/\.source\.ts$/, '.page.ts'));
      return { contents: `export const source = () => ${JSON.stringify(source)};`, loader: 'js' };
    });
  },
};
