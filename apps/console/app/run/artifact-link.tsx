import type { Json } from '@pilothouse/contract/primitives.schema';
import { Download } from 'lucide-react';
import { size } from '../shared/number-format.ts';
import { filesIn } from './files-in-value.ts';
import type { RunArtifact } from './run-state.ts';

/** Download link of an artifact, with its name and size. */
export const ArtifactLink = ({ run, artifact: { id, name, size: bytes } }: { run: string; artifact: RunArtifact }) => (
  <a href={`/runs/${run}/files/${id}`} download={name} className="inline-flex items-center gap-1.5 underline">
    <Download aria-hidden="true" className="size-3.5 shrink-0" />
    <span className="wrap-anywhere">{name}</span>
    <span className="text-xs whitespace-nowrap text-muted">{size(bytes)}</span>
  </a>
);

export interface FilesOfValueProps {
  run: string;
  value: Json;
  artifacts: readonly RunArtifact[];
}

/** Links to the files that a value names; nothing if it names none. */
export function FilesOfValue({ run, value, artifacts }: FilesOfValueProps) {
  const files = filesIn(value, artifacts);
  if (files.length === 0) return null;
  return (
    <ul aria-label="Files" className="grid justify-items-start gap-1 text-sm">
      {files.map((artifact) => (
        <li key={artifact.id}>
          <ArtifactLink run={run} artifact={artifact} />
        </li>
      ))}
    </ul>
  );
}
