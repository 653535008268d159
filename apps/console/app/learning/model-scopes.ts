import type { ModelRole } from '@pilothouse/contract/model/model.schema';
import { surfaceLabels } from '../shared/surface-labels.ts';

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
  { name: 'surface', label: 'Surface', options: Object.keys(surfaceLabels) },
] as const;
