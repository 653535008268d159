import { Inject } from '@nestjs/common';
import type { SavedView, CreateSavedView } from '@pilothouse/contract/api/saved-views.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { SavedViewStore } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { newId } from '../common/new-id.ts';

/** Maximum number of views of one member. */
const MAX_VIEWS = 100;

/** Owner of views: the user, or the API key. */
const ownerOf = ({ user, key }: Caller): string => {
  const id = user?.id ?? key?.id;
  if (id === undefined) throw new PilothouseError('FORBIDDEN', 'Only users and API keys can save views');
  return id;
};

/** Saved views of runs. */
export class SavedViewsService {
  constructor(@Inject(SavedViewStore) private readonly views: SavedViewStore) {}

  async list(caller: Caller): Promise<{ items: SavedView[] }> {
    return { items: await this.views.list(caller.project.id, ownerOf(caller)) };
  }

  /** @throws PilothouseError FORBIDDEN for a viewer who shares; CONFLICT above the limit */
  async save(caller: Caller, { name, search, shared }: CreateSavedView): Promise<SavedView> {
    if (shared && caller.role === 'viewer')
      throw new PilothouseError('FORBIDDEN', 'A viewer can save private views only. Omit `shared`.');
    const owner = { id: ownerOf(caller), name: caller.name };
    const savedView = await this.views.save(
      { id: newId(), project: caller.project.id, owner, name, search, shared },
      MAX_VIEWS,
    );
    if (!savedView) throw new PilothouseError('CONFLICT', `You have ${MAX_VIEWS} saved views. Delete one first.`);
    return savedView;
  }

  /** @throws PilothouseError NOT_FOUND */
  async delete(caller: Caller, id: string): Promise<SavedView> {
    const deleted = await this.views.delete(caller.project.id, ownerOf(caller), id, caller.role === 'admin');
    if (!deleted) throw new PilothouseError('NOT_FOUND', `View ${id} not found.`);
    return deleted;
  }
}
