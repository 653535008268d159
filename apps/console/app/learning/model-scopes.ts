import type { ModelRole } from '@pilothouse/contract/model/model.schema';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';

/** Names every role. Pages cannot import the schemas of the contract. */
const roles = {
  plan: true,
  act: true,
  vision: true,
  verify: true,
  synthesize: true,
  score: true,
} satisfies Record<ModelRole, true>;

/** Fields that restrict a model to some calls. */
export const modelScopes = [
  { name: 'role', label: 'Role', options: Object.keys(roles) },
  { name: 'surface', label: 'Surface', options: Object.keys(surfaceTraits) },
] as const;
