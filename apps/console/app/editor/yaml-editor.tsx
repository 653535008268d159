import { classes } from '@pilothouse/ui-kit';
import { useEffect, useRef } from 'react';
import type { Problem } from '../workflows/workflow-yaml.server.ts';

/** Line height in pixels, shared by the text and its line numbers. */
const LINE_PX = 20;

export interface YamlEditorProps {
  /** Name of the field, and id of its form. */
  name: string;
  form: string;
  text: string;
  onText: (text: string) => void;
  problems: readonly Problem[];
  /** Lines of the step that is selected elsewhere, from 1. */
  markedLines?: { first: number; last: number } | undefined;
  /** Receives the line of the cursor, from 1. */
  onLine?: (line: number) => void;
}

/** Text editor of a workflow. Problems are marked at their lines and listed below. */
export function YamlEditor({ name, form, text, onText, problems, markedLines, onLine }: YamlEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = area.current;
    if (!markedLines || !element || document.activeElement === element) return;
    const top = (markedLines.first - 1) * LINE_PX;
    const isVisible = top >= element.scrollTop && top < element.scrollTop + element.clientHeight - LINE_PX;
    if (!isVisible) element.scrollTop = Math.max(0, top - 4 * LINE_PX);
  }, [markedLines]);

  const selectProblem = ({ line, column }: Problem) => {
    const element = area.current;
    if (!element) return;
    const before = text.split('\n').slice(0, line - 1);
    const start = before.join('\n').length + (line > 1 ? 1 : 0) + column - 1;
    element.focus();
    element.setSelectionRange(start, start);
    element.scrollTop = Math.max(0, (line - 5) * LINE_PX);
  };
  const problemsByLine = new Map(problems.map(({ line, detail }) => [line, detail]));
  return (
    <div className="grid gap-2">
      <div className="flex h-[60vh] min-h-72 overflow-hidden rounded-md border border-edge bg-surface font-mono text-xs leading-5">
        <div
          ref={gutter}
          aria-hidden="true"
          className="shrink-0 overflow-hidden bg-raised py-2 text-right text-muted select-none"
        >
          {text.split('\n').map((_, index) => {
            const line = index + 1;
            const isMarked = markedLines && line >= markedLines.first && line <= markedLines.last;
            return (
              <div
                key={index}
                title={problemsByLine.get(line)}
                className={classes(
                  'border-l-3 pr-2 pl-2',
                  isMarked ? 'border-primary text-text' : 'border-transparent',
                  problemsByLine.has(line) && 'font-bold text-bad',
                )}
              >
                {line}
              </div>
            );
          })}
        </div>
        <textarea
          ref={area}
          name={name}
          form={form}
          value={text}
          onChange={({ target }) => onText(target.value)}
          onSelect={({ currentTarget }) =>
            onLine?.(currentTarget.value.slice(0, currentTarget.selectionStart).split('\n').length)
          }
          onScroll={({ currentTarget }) => {
            if (gutter.current) gutter.current.scrollTop = currentTarget.scrollTop;
          }}
          spellCheck={false}
          wrap="off"
          aria-label="Workflow in YAML"
          aria-invalid={problems.length > 0 || undefined}
          className="w-full resize-none bg-transparent p-2 whitespace-pre text-text"
        />
      </div>
      <ul aria-label="Problems" aria-live="polite" className="grid gap-1 text-sm">
        {problems.map((problem, index) => (
          <li key={index}>
            <button type="button" className="text-left text-bad hover:underline" onClick={() => selectProblem(problem)}>
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
