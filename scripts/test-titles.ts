import { parseSync } from 'oxc-parser'
import { stepMark } from './trace-lib.ts'

/** A node of the syntax tree; which keys it has depends on its type. */
interface Node {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: every kind of node has other keys
  [key: string]: any
}
/** Known values by name: constants of the file, and what a loop or a table gives. */
type Scope = Map<string, unknown>

/** Modifiers after which the first text is still the title of something that runs. */
const running = ['only', 'concurrent', 'sequential', 'serial', 'parallel', 'describe', 'fails', 'step']
/** Modifiers called with something else before the title: it.each(table)('title'). */
const tables = ['each', 'for']
const conditions = ['runIf', 'skipIf']
/** No name of a constant. */
const hasSteps = 'has steps'

/**
 * The titles of the tests in a file, with those of their describes before them, read without running it. A step of a journey is a test
 * of its own. Rows of a table and of a loop are written out where they are literals of the same file.
 */
export const titlesInSource = (source: string, file = 'a.test.tsx'): string[] => {
  const { program } = parseSync(file, source)
  const titles: string[] = []
  const scope: Scope = new Map([[hasSteps, source.includes('test.step(')]])
  visit(program as unknown as Node, [], scope, titles)
  return titles
}

const visit = (node: Node, above: string[], scope: Scope, titles: string[]): void => {
  if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
    scope.set(node.id.name, literalOf(node.init, scope))
  const rows = node.type === 'ForOfStatement' ? literalOf(node.right, scope) : undefined
  if (Array.isArray(rows)) {
    const pattern = node.left.declarations?.[0]?.id ?? node.left
    for (const row of rows) visit(node.body, above, bind(pattern, row, new Map(scope)), titles)
    return
  }
  const call = node.type === 'CallExpression' ? testCallOf(node, scope) : undefined
  if (!call) {
    for (const child of childrenOf(node)) visit(child, above, scope, titles)
    return
  }
  for (const title of call.titles) {
    const path = call.isStep ? [`${above.join(' > ')}${stepMark}${title}`] : [...above, title]
    if (!call.isGroup) titles.push(path.join(' > '))
    // Inside a test only its steps are titles.
    const body = node.arguments.length > 1 && (call.isGroup || scope.get(hasSteps)) ? node.arguments.at(-1) : undefined
    if (body) visit(body, path, scope, titles)
  }
}

interface TestCall {
  titles: string[]
  isGroup: boolean
  isStep: boolean
}

const testCallOf = (node: Node, scope: Scope): TestCall | undefined => {
  const names = namesOf(node.callee)
  const [root = '', ...modifiers] = names
  if (!['describe', 'suite', 'it', 'test'].includes(root)) return undefined
  const isTable = modifiers.some((name) => tables.includes(name))
  if (!modifiers.every((name) => [...running, ...tables, ...conditions].includes(name))) return undefined
  // it.each(rows) itself is the callee of the call that has the title.
  if (isTable && node.callee.type === 'MemberExpression') return undefined
  const title = literalOf(node.arguments[0], scope)
  if (typeof title !== 'string') return undefined
  const isGroup = root === 'describe' || root === 'suite' || modifiers.includes('describe')
  const isStep = modifiers.includes('step')
  if (!isTable) return { titles: [title], isGroup, isStep }
  const rows = literalOf(node.callee.arguments?.[0], scope)
  return {
    titles: Array.isArray(rows) && rows.length > 0 ? rows.map((row) => fill(title, row)) : [title],
    isGroup,
    isStep,
  }
}

/** ['it', 'each'] of it.each(rows), of it.each`table` and of it.each. */
const namesOf = (node: Node): string[] => {
  if (node.type === 'Identifier') return [node.name]
  if (node.type === 'MemberExpression') return [...namesOf(node.object), node.property.name ?? '']
  if (node.type === 'CallExpression') return namesOf(node.callee)
  if (node.type === 'TaggedTemplateExpression') return namesOf(node.tag)
  return ['']
}

/** A title with the values of one row: %s one after the other, $name and $0 by name. */
const fill = (title: string, row: unknown): string => {
  const cells = Array.isArray(row) ? [...row] : [row]
  const named: Record<string, unknown> = typeof row === 'object' ? { ...row } : {}
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : ' ')
  return title
    .replace(/%[sdifjo]/g, () => text(cells.shift()))
    .replace(/\$(\w+)/g, (_, name: string) => text(named[name]))
}

/** What a literal says; undefined for what is known only when it runs. Unknown parts of a text become a space. */
const literalOf = (node: Node | undefined, scope: Scope): unknown => {
  if (!node) return undefined
  if (node.type === 'Literal') return node.value
  if (node.type === 'TemplateLiteral')
    return node.quasis
      .map((part: Node, index: number) => {
        const value = literalOf(node.expressions[index], scope)
        return `${part.value.cooked}${typeof value === 'string' || typeof value === 'number' ? value : node.expressions[index] ? ' ' : ''}`
      })
      .join('')
  if (node.type === 'ArrayExpression')
    return node.elements.flatMap((one: Node | null) => {
      if (one?.type !== 'SpreadElement') return [literalOf(one ?? undefined, scope)]
      const spread = literalOf(one.argument, scope)
      return Array.isArray(spread) ? spread : []
    })
  if (node.type === 'ObjectExpression')
    return Object.fromEntries(
      node.properties
        .filter((one: Node) => one.type === 'Property')
        .map((one: Node) => [one.key.name ?? one.key.value, literalOf(one.value, scope)]),
    )
  if (node.type === 'Identifier') return scope.get(node.name)
  if (node.type.startsWith('TS') && node.expression) return literalOf(node.expression, scope)
  return undefined
}

const bind = (pattern: Node, value: unknown, scope: Scope): Scope => {
  if (pattern.type === 'Identifier') scope.set(pattern.name, value)
  if (pattern.type === 'ArrayPattern' && Array.isArray(value))
    for (const [index, one] of pattern.elements.entries()) if (one) bind(one, value[index], scope)
  if (pattern.type === 'ObjectPattern' && value && typeof value === 'object')
    for (const one of pattern.properties)
      if (one.type === 'Property') bind(one.value, (value as Record<string, unknown>)[one.key.name], scope)
  return scope
}

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((child): child is Node => typeof child?.type === 'string')
