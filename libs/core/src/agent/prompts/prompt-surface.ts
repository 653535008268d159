import type { ModelRequest, PromptRef } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { DEFAULT_SURFACE } from '../../surface/surface-traits.ts';

/** Prompt for a surface. Each surface has its own name, because its text differs. */
export const promptForSurface = (surface: SurfaceKind, prompt: PromptRef): PromptRef =>
  surface === DEFAULT_SURFACE ? prompt : { ...prompt, name: `${prompt.name}-${surface}` };

/** Surface of a request; missing for the default. */
export const surfaceField = (surface: SurfaceKind): Pick<ModelRequest, 'surface'> =>
  surface === DEFAULT_SURFACE ? {} : { surface };
