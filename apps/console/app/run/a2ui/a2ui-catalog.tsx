import { createComponentImplementation } from '@a2ui/react/v0_9';
import { Catalog } from '@a2ui/web_core/v0_9';
import {
  BASIC_FUNCTIONS,
  ButtonApi,
  CardApi,
  ColumnApi,
  IconApi,
  ListApi,
  RowApi,
  TextApi,
  TextFieldApi,
} from '@a2ui/web_core/v0_9/basic_catalog';
import { a2uiCatalogs } from '@pilothouse/contract/a2ui/a2ui-versions';
import { Button, classes, Field, Input } from '@pilothouse/ui-kit';
import { Check, CirclePause, CircleX, Ellipsis, LoaderCircle, SkipForward, type LucideIcon } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';

/*
 * The parts of the A2UI basic catalog that runs use, built from console components. The components of the renderer need
 * an external icon font, and their headings have no level.
 */

type Build = (id: string, basePath?: string) => ReactNode;
type Children = readonly (string | { id: string; basePath: string })[];

/** Children of a container: components by id, or list items by their data path. */
const renderChildren = (children: unknown, build: Build): { key: string; node: ReactNode }[] =>
  ((Array.isArray(children) ? children : []) as Children).map((child, index) =>
    typeof child === 'string'
      ? { key: `${child} ${index}`, node: build(child) }
      : { key: `${child.id} ${child.basePath}`, node: build(child.id, child.basePath) },
  );

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const Text = createComponentImplementation(TextApi, ({ props }) => {
  const content = text(props.text);
  if (content === '') return null;
  if (props.variant === 'h3') return <h2 className="text-base font-semibold wrap-anywhere">{content}</h2>;
  if (props.variant === 'h5') return <span className="text-sm font-medium wrap-anywhere">{content}</span>;
  if (props.variant === 'caption') return <span className="text-xs text-muted wrap-anywhere">{content}</span>;
  return <span className="text-sm wrap-anywhere whitespace-pre-wrap">{withoutFence(content)}</span>;
});

/** Removes the code fence around a Markdown code block. */
const withoutFence = (content: string) => content.replace(/^~{4}\w*\n([\s\S]*)\n~{4}$/, '$1');

const icons: Readonly<Record<string, { Icon: LucideIcon; className: string; label: string }>> = {
  moreHoriz: { Icon: Ellipsis, className: 'text-muted', label: 'Pending' },
  play: { Icon: LoaderCircle, className: 'animate-spin text-live', label: 'Running' },
  check: { Icon: Check, className: 'text-good', label: 'Done' },
  error: { Icon: CircleX, className: 'text-bad', label: 'Failed' },
  pause: { Icon: CirclePause, className: 'text-warn', label: 'Interrupted' },
  skipNext: { Icon: SkipForward, className: 'text-muted', label: 'Skipped' },
};

const Icon = createComponentImplementation(IconApi, ({ props }) => {
  const icon = icons[text(props.name)];
  if (!icon) return null;
  const { Icon: LabelledIcon, className, label } = icon;
  return (
    <LabelledIcon
      role="img"
      aria-label={label}
      data-icon={text(props.name)}
      className={classes('size-4 shrink-0', className)}
    />
  );
});

/** Rows of steps. One that is interrupted waits for a person or a worker; other rows report what happened. */
const STEP_ROW = 'step';

const Row = createComponentImplementation(RowApi, ({ props, buildChild, context }) => (
  <div
    className={classes(
      'flex min-w-0 items-center gap-2 [&>:nth-child(n+3):last-child]:ml-auto [&>:nth-child(n+3):last-child]:shrink-0',
      context.componentModel.id === STEP_ROW && 'has-[>[data-icon=pause]]:wait-pulse',
    )}
  >
    {renderChildren(props.children, buildChild).map(({ key, node }) => (
      <Fragment key={key}>{node}</Fragment>
    ))}
  </div>
));

const Column = createComponentImplementation(ColumnApi, ({ props, buildChild }) => (
  <div className="grid min-w-0 gap-1.5">
    {renderChildren(props.children, buildChild).map(({ key, node }) => (
      <Fragment key={key}>{node}</Fragment>
    ))}
  </div>
));

const List = createComponentImplementation(ListApi, ({ props, buildChild }) => {
  const items = renderChildren(props.children, buildChild);
  if (items.length === 0) return null;
  return (
    <ul className={props.direction === 'horizontal' ? 'flex flex-wrap gap-2' : 'grid gap-2'}>
      {items.map(({ key, node }) => (
        <li key={key} className="min-w-0">
          {node}
        </li>
      ))}
    </ul>
  );
});

const Card = createComponentImplementation(CardApi, ({ props, buildChild }) => (
  <section className="rounded-lg border border-line bg-surface p-3">
    {props.child && buildChild(text(props.child))}
  </section>
));

const TextField = createComponentImplementation(TextFieldApi, ({ props }) => (
  <Field label={text(props.label)} className="max-w-md">
    {(controlProps) => (
      <Input {...controlProps} value={text(props.value)} onChange={({ target }) => props.setValue?.(target.value)} />
    )}
  </Field>
));

const Press = createComponentImplementation(ButtonApi, ({ props, buildChild }) => (
  <Button
    variant={props.variant === 'primary' ? 'primary' : 'plain'}
    className="justify-self-start"
    onClick={() => void props.action?.()}
  >
    {props.child && buildChild(text(props.child))}
  </Button>
));

/** Catalog with the official id of A2UI 0.9. */
export const catalog = new Catalog(
  a2uiCatalogs['0.9'],
  [Text, Icon, Row, Column, List, Card, TextField, Press],
  BASIC_FUNCTIONS,
);
