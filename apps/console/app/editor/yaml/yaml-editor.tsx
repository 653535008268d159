import { classes } from '@pilothouse/ui-kit';
import { lazy, Suspense, useEffect, useImperativeHandle, useRef, useState, type Ref } from 'react';
import type { Problem } from '../../workflows/workflow-yaml.server.ts';
import type { CodeEditorHandle } from './code-editor.tsx';
import type { MarkedLines } from './marked-lines.ts';

const CodeEditor = lazy(() => import('./code-editor.tsx'));

export interface YamlEditorProps {
  /** Name of the field, and id of its form. */
  name: string;
  form: string;
  text: string;
  onText: (text: string) => void;
  problems: readonly Problem[];
  /** Lines of the step that is selected in the graph. */
  markedLines?: MarkedLines | undefined;
  /** Receives the line of the cursor, from 1. */
  onLine?: (line: number) => void;
  /** True if the editor fills the height of the window. */
  isTall?: boolean;
  ref?: Ref<CodeEditorHandle>;
}

/** Code editor of a workflow. Problems are marked in the text and listed below. */
export function YamlEditor({
  name,
  form,
  text,
  onText,
  problems,
  markedLines,
  onLine,
  isTall = false,
  ref,
}: YamlEditorProps) {
  const editor = useRef<CodeEditorHandle>(null);
  useImperativeHandle(ref, () => ({ goTo: (line, column) => editor.current?.goTo(line, column) }), []);
  const [isHydrated, setIsHydrated] = useState(false);
  useEffect(() => setIsHydrated(true), []);
  const plainText = (
    <div className="flex h-full flex-col">
      <p role="status" className="border-b border-line px-2 py-1 text-xs text-muted">
        Loading editor…
      </p>
      <pre className="min-h-0 flex-1 overflow-auto p-2 font-mono text-xs leading-5" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
  return (
    <div className="grid gap-2">
      <input type="hidden" name={name} form={form} value={text} />
      <div
        className={classes(
          'min-h-72 overflow-hidden rounded-md border border-edge bg-surface',
          isTall ? 'h-[calc(100dvh-9rem)]' : 'h-[60vh]',
        )}
      >
        {isHydrated ? (
          <Suspense fallback={plainText}>
            <CodeEditor
              ref={editor}
              label="Workflow source (YAML)"
              text={text}
              onText={onText}
              problems={problems}
              markedLines={markedLines}
              onLine={onLine}
            />
          </Suspense>
        ) : (
          plainText
        )}
      </div>
      <ul aria-label="Problems" aria-live="polite" className="grid gap-1 text-sm">
        {problems.map((problem, index) => (
          <li key={index}>
            <button
              type="button"
              className="text-left text-bad hover:underline"
              onClick={() => editor.current?.goTo(problem.line, problem.column)}
            >
              <span className="font-mono text-xs">
                {problem.line}:{problem.column}
              </span>{' '}
              {problem.detail}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
