import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  isControllable,
  isPageSurface,
  isRestorable,
  type Controllable,
  type PageSurface,
  type Restorable,
  type Surface,
} from '@pilothouse/core/ports/surface.port';

/* Capabilities that a command needs. @throws PilothouseError ACTION_UNSUPPORTED if the surface does not have it */

export function requireControl(surface: Surface): Surface & Controllable {
  if (isControllable(surface)) return surface;
  throw unsupported('manual control');
}

export function requirePages(surface: Surface): PageSurface {
  if (isPageSurface(surface)) return surface;
  throw unsupported('pages and profiles');
}

export function requireRestore(surface: Surface): Surface & Restorable {
  if (isRestorable(surface)) return surface;
  throw unsupported('saved states');
}

const unsupported = (capability: string) =>
  new PilothouseError('ACTION_UNSUPPORTED', `This surface does not support ${capability}`);
