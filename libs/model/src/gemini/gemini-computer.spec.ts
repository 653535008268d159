import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { ConversationExchange } from '@pilothouse/core/agent/dialects/native/native-conversation';
import { toNativeContents } from './gemini-computer.ts';

const anExchange = (id: string): ConversationExchange => ({
  turn: { tool: 'gemini_computer_use', blocks: [], calls: [] },
  results: [
    {
      ...{ id, name: 'click', toolset: null, text: 'Clicked' },
      ...{ isError: false, hasImage: false, acknowledged: [] },
    },
  ],
  image: null,
  zooms: new Map(),
});

test('only the results of the last turn have the current address', () => {
  const exchanges = [anExchange('a'), anExchange('b')];
  const page = { url: 'https://shop.test/', title: 'Shop' };
  const request: ModelRequest = {
    ...{ role: 'vision', prompt: { name: 'spec', version: 1 }, system: '', messages: [] },
    computer: { surface: 'browser', replaces: [], page },
  };
  const conversation = { system: '', opening: [], exchanges, closing: [], tools: [] };
  const responses = toNativeContents(conversation, request)
    .flatMap(({ parts = [] }) => parts)
    .flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.response] : []));
  expect(responses).toEqual([{ output: 'Clicked' }, { output: 'Clicked', url: page.url }]);
});
