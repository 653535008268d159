import type { ModelRequest } from '@pilothouse/contract';
import { imagesOf } from './images.ts';

/** Which rung of the ladder a call is of: 3 where another way is planned, 2 where pictures are looked at, 1 where the text suffices. */
export const tierOfCall = (request: Pick<ModelRequest, 'role' | 'messages'>): 1 | 2 | 3 => {
  if (request.role === 'plan') return 3;
  return imagesOf(request).length > 0 ? 2 : 1;
};
