import { a2uiCatalogs } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { DataBinding, Component, CardFacts, IconName, TextStyle, DataUpdate } from './a2ui-components.ts';

const usageHints: Readonly<Record<TextStyle, string>> = {
  heading: 'h3',
  label: 'h5',
  body: 'body',
  caption: 'caption',
};

/** 0.8 has no icons for play, pause and skip. */
const iconNames: Readonly<Record<IconName, string>> = {
  pending: 'moreHoriz',
  running: 'refresh',
  completed: 'check',
  failed: 'error',
  interrupted: 'warning',
  skipped: 'info',
};

/** Initial messages of a surface of A2UI 0.8, before its data. */
export const createSurface08 = (surfaceId: string, components: readonly Component[]): A2uiMessage[] => [
  {
    surfaceUpdate: {
      surfaceId,
      components: components.map((component) => ({ id: component.id, component: componentOf(component) })),
    },
  },
];

/** Messages after the data: the renderer draws nothing before them. */
export const renderSurface08 = (surfaceId: string): A2uiMessage[] => [
  { beginRendering: { surfaceId, catalogId: a2uiCatalogs['0.8'], root: 'root' } },
];

/** A change of the data. An update of the root would replace everything, so each names its path. */
export function update08(surfaceId: string, update: DataUpdate): A2uiMessage {
  const [path, contents] = change(update);
  return { dataModelUpdate: { surfaceId, path, contents } };
}

/** Lists are maps in 0.8, ordered by insertion. */
const keyOf = (index: number): string => `s${index}`;

function change(update: DataUpdate): [path: string, contents: Json[]] {
  switch (update.kind) {
    case 'run':
      return ['/run', entries(update.facts)];
    case 'answer':
      return ['/answer', entries({ text: '' })];
    case 'list':
      return [`/${update.list}`, update.items.map((facts, index) => ({ key: keyOf(index), valueMap: entries(facts) }))];
    case 'item':
      return [`/${update.list}/${keyOf(update.index)}`, entries(update.facts)];
  }
}

const entries = (facts: CardFacts): { key: string; valueString: string }[] =>
  Object.entries(facts).map(([key, text]) => ({
    key,
    valueString: key === 'icon' ? iconNames[text as IconName] : escapeJson(text),
  }));

/** Clients of 0.8 parse text that looks like JSON. A zero-width character keeps it text. */
const escapeJson = (text: string): string => (/^\s*[[{]/.test(text) ? `\u200b${text}` : text);

const boundText = (text: DataBinding): Record<string, Json> =>
  typeof text === 'string' ? { literalString: text } : { path: text.path };

function componentOf(component: Component): Record<string, Json> {
  switch (component.kind) {
    case 'column':
      return { Column: { children: { explicitList: [...component.children] } } };
    case 'row':
      return { Row: { children: { explicitList: [...component.children] }, alignment: 'center' } };
    case 'list':
      return {
        List: {
          children: { template: { componentId: component.item, dataBinding: `/${component.list}` } },
          direction: component.direction,
        },
      };
    case 'text':
      return { Text: { text: boundText(component.text), usageHint: usageHints[component.style] } };
    case 'icon':
      return { Icon: { name: component.name } };
    case 'card':
      return { Card: { child: component.child } };
    case 'field':
      return {
        TextField: {
          label: component.label,
          text: { path: component.path },
          textFieldType: 'shortText',
        },
      };
    case 'button':
      return {
        Button: {
          child: component.child,
          primary: component.primary,
          action: {
            name: component.action,
            context: Object.entries(component.context).map(([key, value]) => ({ key, value })),
          },
        },
      };
  }
}
