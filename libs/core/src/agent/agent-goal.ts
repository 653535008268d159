import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import type { HostRule } from '../egress/host-rules.ts';
import type { ApprovalPolicy } from './approval/approval-policy.ts';
import type { FileFacts } from './file-inputs.ts';

/** Goal of an agent, with its limits. */
export interface AgentGoal {
  /** Rendered text of the goal. Secrets are placeholders. */
  readonly text: string;
  /** Schema of the answer; null: text. */
  readonly outputSchema: ValueSchema | null;
  /** Texts that the page shows once the goal is met. */
  readonly texts: readonly string[];
  /** Condition in plain text that holds once the goal is met; null: none. */
  readonly condition: string | null;
  /** The page has to show every value of the answer. */
  readonly requiresSources?: boolean;
  readonly maxTurns: number;
  /** Surface of the run. It selects the functions and prompts of the model. */
  readonly surface: SurfaceKind;
  /** Notes about sites. The prompt contains a note only while its site is open. */
  readonly siteNotes: readonly SiteNote[];
  /** Notes about applications. The prompt contains a note only while a window of its application is active. */
  readonly appNotes: readonly AppNote[];
  readonly limits: Pick<ApprovalPolicy, 'autoApprove' | 'hosts' | 'apps' | 'secrets'>;
  /** True: every model call has a screenshot, for the computer tool of a provider. */
  readonly isAlwaysVision?: boolean;
  /** Files that the goal names. */
  readonly files?: readonly FileFacts[];
}

/** Note about an application. @property app id, e.g. `mousepad` */
export interface AppNote {
  readonly app: string;
  readonly note: string;
}

/** Note about the sites that match a rule. */
export interface SiteNote {
  readonly site: HostRule;
  readonly note: string;
}
