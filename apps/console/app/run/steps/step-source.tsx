import { Notice } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { useFetcher } from 'react-router';
import type { ApiResult } from '../../api/api-client.server.ts';
import type { StepSource } from '../step-source.route.ts';

/** YAML lines of a step in the version that the run executed. @param path of the run step */
export function StepSourceView({ run, path }: { run: string; path: string }) {
  const { load, data: answer } = useFetcher<ApiResult<StepSource>>();
  useEffect(() => void load(`/runs/${run}/step-source?${new URLSearchParams({ path }).toString()}`), [load, run, path]);
  if (!answer) return <p className="text-sm text-muted">Loading source…</p>;
  if (answer.failure) return <Notice tone="bad">{answer.failure.message}</Notice>;
  const { path: loadedPath, firstLine, lines } = answer.result;
  if (loadedPath !== path) return <p className="text-sm text-muted">Loading source…</p>;
  if (lines.length === 0) return <p className="text-sm text-muted">The definition has no such step.</p>;
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label="Source"
      className="max-h-[40vh] overflow-auto rounded-md border border-line bg-raised py-2 font-mono text-xs"
    >
      {lines.map((line, index) => (
        <div key={index} className="flex gap-3 px-2">
          <span className="w-8 shrink-0 text-right text-muted select-none">{firstLine + index}</span>
          <code className="whitespace-pre-wrap wrap-anywhere">{line}</code>
        </div>
      ))}
    </pre>
  );
}
