import { a2uiCatalogs } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Component, CardFacts, IconName, TextStyle, DataUpdate } from './a2ui-components.ts';

const variants: Readonly<Record<TextStyle, string>> = { heading: 'h3', label: 'h5', body: 'body', caption: 'caption' };

const iconNames: Readonly<Record<IconName, string>> = {
  pending: 'moreHoriz',
  running: 'play',
  completed: 'check',
  failed: 'error',
  interrupted: 'pause',
  skipped: 'skipNext',
};

/** Encoding for A2UI 0.9 and 0.9.1, which differ only in the version's name. */
export function encoding09(name: '0.9' | '0.9.1') {
  const version = `v${name}`;
  return {
    /** Initial messages of a surface, before its data. */
    start: (surfaceId: string, components: readonly Component[]): A2uiMessage[] => [
      { version, createSurface: { surfaceId, catalogId: a2uiCatalogs[name] } },
      { version, updateComponents: { surfaceId, components: components.map(componentOf) } },
    ],
    /** A change of the data. */
    update(surfaceId: string, update: DataUpdate): A2uiMessage {
      const [path, value] = change(update);
      return { version, updateDataModel: { surfaceId, path, value } };
    },
    /** Messages after the data: none, because 0.9 draws immediately. */
    show: (): A2uiMessage[] => [],
  };
}

function change(update: DataUpdate): [path: string, value: Json] {
  switch (update.kind) {
    case 'run':
      return ['/run', record(update.facts)];
    case 'answer':
      return ['/answer', { text: '' }];
    case 'list':
      return [`/${update.list}`, update.items.map(record)];
    case 'item':
      return [`/${update.list}/${update.index}`, record(update.facts)];
  }
}

const record = (facts: CardFacts): Record<string, Json> => ({
  ...facts,
  ...(facts.icon !== undefined && { icon: iconNames[facts.icon] }),
});

function componentOf(component: Component): Record<string, Json> {
  const { id } = component;
  switch (component.kind) {
    case 'column':
      return { id, component: 'Column', children: [...component.children] };
    case 'row':
      return { id, component: 'Row', children: [...component.children], align: 'center' };
    case 'list':
      return {
        id,
        component: 'List',
        children: { componentId: component.item, path: `/${component.list}` },
        direction: component.direction,
      };
    case 'text':
      return { id, component: 'Text', text: component.text, variant: variants[component.style] };
    case 'icon':
      return { id, component: 'Icon', name: component.name };
    case 'card':
      return { id, component: 'Card', child: component.child };
    case 'field':
      return {
        id,
        component: 'TextField',
        label: component.label,
        value: { path: component.path },
        variant: 'shortText',
      };
    case 'button':
      return {
        id,
        component: 'Button',
        child: component.child,
        variant: component.primary ? 'primary' : 'default',
        action: { event: { name: component.action, context: { ...component.context } } },
      };
  }
}
