import { parseSync } from 'oxc-parser'

/** One change to a source file: the text between the two offsets is replaced. */
export interface Mutant {
  line: number
  start: number
  end: number
  replacement: string
}

/** A node of the syntax tree; which keys it has depends on its type. */
interface Node {
  type: string
  start: number
  end: number
  // biome-ignore lint/suspicious/noExplicitAny: every kind of node has other keys
  [key: string]: any
}

const swappedOperators: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
}

/** In an SQL template, as separate words. */
const swappedSql: Record<string, string> = {
  and: 'or',
  or: 'and',
  'is null': 'is not null',
  'is not null': 'is null',
  'not exists': 'exists',
  '=': '<>',
  '<>': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
}
const sqlWords = /(?<=\s)(?:is not null|is null|not exists|and|or|=|<>|<=|>=|<|>)(?=[\s)`$])/gu

/** Every change that the operators can make to a file, in the order of the source. */
export const mutantsIn = (source: string, file = 'a.ts'): Mutant[] => {
  const { program } = parseSync(file, source)
  const mutants: Mutant[] = []
  const add = (start: number, end: number, replacement: string) =>
    mutants.push({ line: source.slice(0, start).split('\n').length, start, end, replacement })
  visit(program as unknown as Node, source, add)
  return mutants.sort((one, other) => one.start - other.start)
}

export const applyMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end)

/** Draws from the list in an order that the seed alone decides (mulberry32 with a Fisher-Yates shuffle). */
export const shuffle = <T>(items: readonly T[], seed: number): T[] => {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [kept, moved] = [shuffled[last] as T, shuffled[other] as T]
    shuffled[last] = moved
    shuffled[other] = kept
  }
  return shuffled
}

type Add = (start: number, end: number, replacement: string) => void

const visit = (node: Node, source: string, add: Add): void => {
  // Types do not run, and a changed import only fails to load.
  if (node.type.startsWith('TS') && !node.expression) return
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return
  mutate[node.type]?.(node, source, add)
  for (const [key, value] of Object.entries(node)) {
    // A changed condition of a loop may never end.
    if (key === 'test' && /^(?:Do)?(?:For|While)/u.test(node.type)) continue
    if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'parent') continue
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child === 'object' && typeof child.type === 'string') visit(child, source, add)
  }
}

const swapOperator = (node: Node, source: string, add: Add) => {
  const replacement = swappedOperators[node.operator]
  if (!replacement || (node.operator === '+' && (isText(node.left) || isText(node.right)))) return
  const start = source.indexOf(node.operator, node.left.end)
  add(start, start + node.operator.length, replacement)
}
const isText = ({ type, value }: Node): boolean => type === 'TemplateLiteral' || typeof value === 'string'

const negateTest = ({ test }: Node, source: string, add: Add) =>
  add(test.start, test.end, `!(${source.slice(test.start, test.end)})`)

const mutate: Record<string, (node: Node, source: string, add: Add) => void> = {
  BinaryExpression: swapOperator,
  LogicalExpression: (node, source, add) => {
    swapOperator(node, source, add)
    if (node.operator === '??') return
    add(node.start, node.end, source.slice(node.left.start, node.left.end))
    add(node.start, node.end, source.slice(node.right.start, node.right.end))
  },
  IfStatement: negateTest,
  ConditionalExpression: negateTest,
  Literal: ({ value, start, end }, _, add) => {
    if (typeof value === 'boolean') add(start, end, String(!value))
    if (typeof value === 'number') add(start, end, String(value + 1))
    if (typeof value === 'bigint') add(start, end, `${value + 1n}n`)
  },
  // A role of a permission, a status of a list, a condition of a move.
  ArrayExpression: ({ elements }, _, add) => {
    for (const [index, element] of elements.entries()) {
      const next = elements[index + 1]
      const before = elements[index - 1]
      if (elements.length < 2 || !isConstant(element)) continue
      if (next) add(element.start, next.start, '')
      else add(before.end, element.end, '')
    }
  },
  TaggedTemplateExpression: ({ tag, quasi }, source, add) => {
    if (tag.name !== 'sql') return
    for (const { start, end } of quasi.quasis as Node[])
      for (const found of source.slice(start, end).matchAll(sqlWords))
        add(start + found.index, start + found.index + found[0].length, swappedSql[found[0]] as string)
  },
}
const isConstant = (element: Node | null) =>
  element !== null && (isText(element) || element.type === 'SpreadElement' || element.type === 'Identifier')
