import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { assertNever } from '@pilothouse/contract/primitives.schema';
import { walkNodes } from '@pilothouse/contract/workflow/control-flow.schema';
import { hasOwnPage, type HttpRequestStep } from '@pilothouse/contract/workflow/parallel.schema';
import { stepSeconds, type Step } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import { nodeValueType } from '../workflow/step-types.ts';
import { conditionCode, locatorCode, targetCode } from './playwright-locators.ts';
import { extractLines } from './playwright-extract.ts';
import { childPointer, indented, stringLiteral, type StepCode, type Writer } from './code-writer.ts';

/** Default timeout of a condition check, in milliseconds. */
const CHECK_TIMEOUT_MS = 2_000;
const ASSERT_TIMEOUT_MS = 5_000;

/** Pages need permission to read the clipboard. */
const GRANT_CLIPBOARD = "await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);";

/** Lines for the steps of a branch. */
type ListCode = (nodes: readonly WorkflowNode[], pointer: string) => string[];

/** Code of a step with its `expect` condition. */
export function stepCode(writer: Writer, step: Step, pointer: string, list: ListCode): StepCode {
  const { lines, value } = actionCode(writer, step, pointer, list);
  const assertions = step.expect
    ? conditionCode(writer, step.expect, childPointer(pointer, 'expect'), stepSeconds(step) * 1000)
    : [];
  return { lines: [...lines, ...assertions], ...(value !== undefined && { value }) };
}

function actionCode(writer: Writer, step: Step, pointer: string, list: ListCode): StepCode {
  const ms = stepSeconds(step) * 1000;
  const unsupportedStep = (detail: string, ...nextName: string[]): StepCode => {
    writer.reportUnsupported(childPointer(pointer, ...nextName), detail);
    return { lines: [] };
  };
  const onTarget = (call = '') =>
    `await ${'target' in step && step.target ? targetCode(writer, step.target, childPointer(pointer, 'target')) : 'page'}${call};`;
  const options = (optionCodes: readonly (string | false)[]) => {
    const presentCodes = optionCodes.filter((code) => code !== false);
    return presentCodes.length === 0 ? '' : `{ ${presentCodes.join(', ')} }`;
  };
  const time = step.timeout !== undefined && `timeout: ${ms}`;
  const waitUntil =
    'waitUntil' in step && step.waitUntil !== undefined && `waitUntil: ${stringLiteral(step.waitUntil)}`;
  const navigationOptions = options([waitUntil, time]);
  switch (step.action) {
    case 'navigate': {
      const url = /^https?:\/\//.test(step.url)
        ? writer.text(step.url)
        : `new URL(${writer.text(step.url)}, page.url()).href`;
      return { lines: [`await page.goto(${url}${navigationOptions && `, ${navigationOptions}`});`] };
    }
    case 'goBack':
      return { lines: [`await page.goBack(${navigationOptions});`] };
    case 'goForward':
      return { lines: [`await page.goForward(${navigationOptions});`] };
    case 'reload':
      return { lines: [`await page.reload(${navigationOptions});`] };
    case 'switchTab': {
      const { url, title, index } = step;
      const predicate =
        url !== undefined
          ? `(one) => ${writer.use(url.includes('*') ? 'matching' : 'containing')}(${writer.text(url)}).test(one.url())`
          : title !== undefined
            ? `async (one) => ${writer.use('containing')}(${writer.text(title)}, 'i').test(await one.title())`
            : `(_one, index, all) => index === ${(index ?? 0) < 0 ? `all.length - ${-(index ?? 0)}` : (index ?? 0)}`;
      return { lines: [`page = await ${writer.use('tab')}(page, ${predicate});`] };
    }
    case 'closeTab':
      if ((step.url ?? step.title ?? step.index) !== undefined)
        return unsupportedStep('a test closes only the current tab: use `switchTab` first');
      return {
        lines: [
          'const context = page.context();',
          'await page.close();',
          'page = context.pages().at(-1) ?? (await context.newPage());',
        ],
      };
    case 'handleDialog': {
      const answer = step.accept ? `accept(${step.text === undefined ? '' : writer.text(step.text)})` : 'dismiss()';
      return { lines: [`page.once('dialog', (dialog) => void dialog.${answer});`] };
    }
    case 'openApp':
    case 'switchWindow':
    case 'closeWindow':
    case 'listWindows':
    case 'setWindow':
    case 'selectMenuItem':
    case 'fillFileDialog':
    case 'putFile':
    case 'collectFile':
      return unsupportedStep('a test has no desktop: remove the step');
    case 'click': {
      const { button, count, modifiers, position } = step;
      const optionCodes = options([
        button !== undefined && `button: ${stringLiteral(button)}`,
        count !== undefined && count > 1 && `clickCount: ${count}`,
        modifiers !== undefined && `modifiers: ${JSON.stringify(modifiers)}`,
        position !== undefined && `position: ${JSON.stringify(position)}`,
        time,
      ]);
      return { lines: [onTarget(`.click(${optionCodes})`)] };
    }
    case 'hover':
      return {
        lines: [
          onTarget(
            `.hover(${options([step.position !== undefined && `position: ${JSON.stringify(step.position)}`, time])})`,
          ),
        ],
      };
    case 'drag': {
      if (!step.to) return unsupportedStep('a test drags only to an element: use `to`', 'by');
      const { position, fromPosition } = step;
      const optionCodes = options([
        fromPosition !== undefined && `sourcePosition: ${JSON.stringify(fromPosition)}`,
        position !== undefined && `targetPosition: ${JSON.stringify(position)}`,
      ]);
      const dropTarget = targetCode(writer, step.to, childPointer(pointer, 'to'));
      return { lines: [onTarget(`.dragTo(${[dropTarget, optionCodes].filter((part) => part !== '').join(', ')})`)] };
    }
    case 'scroll':
      return (
        scrollCode(step, onTarget) ??
        unsupportedStep('a test scrolls only the page, or an element into view: use one of these')
      );
    case 'fill':
      if (step.append)
        return { lines: [onTarget(`.press('End')`), onTarget(`.pressSequentially(${writer.text(step.text)})`)] };
      return { lines: [onTarget(`.fill(${writer.text(step.text)})`)] };
    case 'type':
      if (!step.target) return { lines: [`await page.keyboard.type(${writer.text(step.text)});`] };
      return {
        lines: [
          onTarget(step.append ? `.press('End')` : '.clear()'),
          onTarget(`.pressSequentially(${writer.text(step.text)})`),
        ],
      };
    case 'clear':
      return { lines: [onTarget('.clear()')] };
    case 'press': {
      const press = step.target
        ? onTarget(`.press(${stringLiteral(step.key)})`)
        : `await page.keyboard.press(${stringLiteral(step.key)});`;
      const times = step.times ?? 1;
      return { lines: times === 1 ? [press] : [`for (let time = 0; time < ${times}; time += 1) ${press}`] };
    }
    case 'readClipboard':
      return { lines: [GRANT_CLIPBOARD], value: 'await page.evaluate(() => navigator.clipboard.readText())' };
    case 'writeClipboard':
      return {
        lines: [
          GRANT_CLIPBOARD,
          `await page.evaluate((text) => navigator.clipboard.writeText(text), ${writer.text(step.text)});`,
        ],
      };
    case 'check':
      return { lines: [onTarget('.check()')] };
    case 'uncheck':
      return { lines: [onTarget('.uncheck()')] };
    case 'selectOption': {
      const chosen = [step.option].flat().map((option) => {
        if (step.by === 'index') return `{ index: Number(${writer.text(option)}) }`;
        return step.by === undefined ? writer.text(option) : `{ ${step.by}: ${writer.text(option)} }`;
      });
      const optionCode = Array.isArray(step.option) ? `[${chosen.join(', ')}]` : chosen.join('');
      return {
        lines: [
          '// Selects in an HTML <select>. A scripted listbox needs clicks instead.',
          onTarget(`.selectOption(${optionCode})`),
        ],
      };
    }
    case 'upload': {
      const file = /^\{\{\s*inputs\.\w+\s*\}\}$/.test(step.file);
      if (!file) return unsupportedStep('only Pilothouse stores the file of an upload id: use a file input', 'file');
      const [first] = toLocatorChain(step.target);
      const locator =
        first && !Array.isArray(step.target)
          ? locatorCode(writer, first, childPointer(pointer, 'target'), 'attached')
          : null;
      return {
        lines: [
          `await ${locator ?? targetCode(writer, step.target, childPointer(pointer, 'target'), 'attached')}.setInputFiles(${writer.text(step.file)});`,
        ],
      };
    }
    case 'download': {
      const name = writer.uniqueName('download');
      return {
        lines: [
          `const [${name}] = await Promise.all([page.waitForEvent('download'), ${onTarget('.click()')
            .replace(/^await /, '')
            .replace(/;$/, '')}]);`,
        ],
        value: `await ${writer.use('saveDownload')}(${name})`,
      };
    }
    case 'waitFor':
      return { lines: conditionCode(writer, step.condition, childPointer(pointer, 'condition'), ms) };
    case 'assert':
      return { lines: conditionCode(writer, step.condition, childPointer(pointer, 'condition'), ASSERT_TIMEOUT_MS) };
    case 'wait':
      return { lines: [`await page.waitForTimeout(${Math.round(step.seconds * 1000)});`] };
    case 'extract':
      return extractLines(writer, step, pointer);
    case 'observe':
      return {
        lines: ['// The workflow observes the page here for a model. A test does not need it.'],
      };
    case 'screenshot':
    case 'pdf': {
      const name = stringLiteral(
        `${(step.label ?? 'page').replaceAll(/[^\w.-]+/g, '-')}.${step.action === 'pdf' ? 'pdf' : 'png'}`,
      );
      const fullPage = step.action === 'screenshot' && step.fullPage ? ', fullPage: true' : '';
      return { lines: [`await page.${step.action}({ path: test.info().outputPath(${name})${fullPage} });`] };
    }
    case 'checkCondition': {
      const timeoutMs = step.timeout === undefined ? CHECK_TIMEOUT_MS : step.timeout * 1000;
      const checks = conditionCode(writer, step.condition, childPointer(pointer, 'condition'), timeoutMs);
      return { lines: [], value: `await ${writer.use('passes')}(async () => { ${checks.join(' ')} })` };
    }
    case 'saveProfile': {
      const profile = writer.uniqueName('profile');
      return {
        lines: [
          `const ${profile} = ${step.name === undefined ? stringLiteral('profile') : writer.text(step.name)};`,
          `const ${profile}State = await page.context().storageState({ path: test.info().outputPath(${profile} + '.json') });`,
        ],
        // A test saves one file without versions.
        value: `{ name: ${profile}, version: 1, size: JSON.stringify(${profile}State).length }`,
      };
    }
    case 'goal':
      return { lines: [`test.fixme(true, ${stringLiteral(`Goal of an agent: ${step.goal}`)});`], value: 'null' };
    case 'http':
      return { lines: [], value: `await ${requestCode(writer, step, ms)}` };
    case 'parallel': {
      const branches = Object.entries(step.branches);
      const names = branches.map(([name]) => `${name}: ${name}Answer`);
      const answers = branches.flatMap(([name, branch]) =>
        hasOwnPage(branch)
          ? pageCode(branch, list(branch, childPointer(pointer, 'branches', name)))
          : [`${requestCode(writer, branch, ms)},`],
      );
      return {
        lines: [
          `const [${branches.map(([name]) => `${name}Answer`).join(', ')}] = await Promise.all([`,
          ...indented(answers),
          ']);',
        ],
        value: `{ ${names.join(', ')} }`,
      };
    }
    default:
      return assertNever(step);
  }
}

/** Detects code that uses step values or variables. */
const SCOPE_USAGE: Record<string, RegExp> = { steps: /\bsteps\./, vars: /\bvars\./ };

/**
 * Code for the values of a branch with its own page.
 * @param lines code of its steps
 */
function pageCode(nodes: readonly WorkflowNode[], lines: readonly string[]): string[] {
  const valueCodes = [...walkNodes(nodes)].flatMap(({ node }) =>
    node.id === undefined || nodeValueType(node) === null ? [] : [`${node.id}: steps.${node.id} ?? null`],
  );
  // The branch changes its own copy of the variables.
  const usedScopes = Object.keys(SCOPE_USAGE).filter((name) => lines.some((line) => SCOPE_USAGE[name]?.test(line)));
  return [
    `(async (${['page: Page', ...usedScopes.map((name) => `${name}: Record<string, any>`)].join(', ')}) => {`,
    ...indented([...lines, 'await page.close();', `return { ${valueCodes.join(', ')} };`]),
    `})(${['await page.context().newPage()', ...usedScopes.map((name) => `{ ...${name} }`)].join(', ')}),`,
  ];
}

function scrollCode(
  { target, by: distance, to: destination }: Step & { action: 'scroll' },
  onTarget: (call: string) => string,
): StepCode | null {
  if (target) return distance || destination ? null : { lines: [onTarget('.scrollIntoViewIfNeeded()')] };
  if (distance) return { lines: [`await page.mouse.wheel(${distance.x ?? 0}, ${distance.y ?? 0});`] };
  const keys = { top: 'Home', bottom: 'End' } as const;
  return destination === 'top' || destination === 'bottom'
    ? { lines: [`await page.keyboard.press('${keys[destination]}');`] }
    : null;
}

/** Code of a request's response. */
function requestCode(writer: Writer, request: HttpRequestStep, ms: number): string {
  const { method = 'GET', url, headers, body, json, status } = request;
  const isSafe = method === 'GET' || method === 'HEAD';
  const optionCodes = [
    `method: ${stringLiteral(method)}`,
    ...(headers ? [`headers: ${writer.value(headers)}`] : []),
    ...(body === undefined ? [] : [`data: ${writer.text(body)}`]),
    ...(json === undefined ? [] : [`data: ${writer.value(json)}`]),
    `maxRedirects: ${isSafe ? 10 : 0}`,
    `timeout: ${ms}`,
  ];
  const statuses = status === undefined ? 'null' : JSON.stringify([status].flat());
  const requestExpression = `request.fetch(${writer.text(url)}, { ${optionCodes.join(', ')} })`;
  return `${requestExpression}.then((response) => ${writer.use('readResponse')}(response, ${statuses}))`;
}
