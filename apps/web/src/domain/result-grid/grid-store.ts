import type { ResultProblem } from '@lis/contract/requisition-tests.ts'

/** The state of a typed result on its way to the server. */
export type CellStatus = 'typing' | 'waiting' | 'saving' | 'saved' | 'doubtful' | 'failed'

export interface GridCell {
  text: string
  status: CellStatus
  /** The unit shown when it was typed or pasted: in another unit the value would mean something else. */
  units: string | null | undefined
  /** Why it was not saved: the server's doubts, or its refusal. */
  problem: ResultProblem | null
  message: string | null
}

export interface GridEntry {
  reqTestId: number
  result: string
  version?: number | undefined
  units?: string | null | undefined
  isConfirmed?: 0 | 1
}

interface GridOptions {
  /** Saves all of them or none; throws if it failed. */
  save: (entries: GridEntry[]) => Promise<unknown>
  /** The problems of single entries in a failed save, if any. */
  problemsOf: (error: unknown) => readonly ResultProblem[]
  /** The version that was read of a test. */
  versionOf: (id: number) => number | undefined
  /** The unit shown beside its cell. */
  unitsOf: (id: number) => string | null | undefined
  typedMs?: number
  pastedMs?: number
  savedMs?: number
}

type Cells = ReadonlyMap<number, GridCell>
export type ResultGridStore = ReturnType<typeof createGridStore>

/**
 * Unsaved input of a result grid. Saves are delayed, so that a value can be undone; they never overlap, and a doubtful value does not block
 * the others: it stays in its cell, and they are sent again without it.
 */
export const createGridStore = (parts: GridOptions) => {
  const { typedMs = 1_000, pastedMs = 3_000, savedMs = 2_000 } = parts
  let cells: Cells = new Map()
  const confirmed = new Set<number>()
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSending = false
  let running = Promise.resolve()

  const change = (edit: (next: Map<number, GridCell>) => void) => {
    const next = new Map(cells)
    edit(next)
    cells = next
    for (const listener of listeners) listener()
  }
  const put = (id: number, text: string, status: CellStatus) =>
    change((next) => {
      const before = cells.get(id)
      const units = before?.status === 'typing' ? before.units : parts.unitsOf(id)
      next.set(id, { text, status, units, problem: null, message: null })
    })
  const mark = (ids: readonly number[], status: CellStatus) =>
    change((next) => {
      for (const id of ids) {
        const cell = next.get(id)
        if (cell) next.set(id, { ...cell, status, problem: null, message: null })
      }
    })
  const idsOf = (status: CellStatus) => [...cells].filter(([, cell]) => cell.status === status).map(([id]) => id)
  const isSaving = (id: number) => cells.get(id)?.status === 'saving'
  const drop = (ids: readonly number[]) =>
    change((next) => {
      for (const id of ids) {
        next.delete(id)
        confirmed.delete(id)
      }
    })
  const sendAfter = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(flush, ms)
  }

  /** Resolves when nothing is being saved any more. */
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    if (!isSending) running = sendWaiting()
    return running
  }
  const sendWaiting = async (): Promise<void> => {
    const ids = idsOf('waiting')
    if (ids.length === 0) return
    isSending = true
    mark(ids, 'saving')
    const sent = ids.map((id) => entryOf(id))
    try {
      await parts.save(sent)
      mark(ids, 'saved')
      setTimeout(() => drop(ids.filter((id) => cells.get(id)?.status === 'saved')), savedMs)
    } catch (error) {
      settle(ids, error)
    }
    isSending = false
    // Includes later input, and cells that another cell's problem held up.
    if (idsOf('waiting').length > 0) await sendWaiting()
  }

  const entryOf = (id: number): GridEntry => ({
    reqTestId: id,
    result: cells.get(id)?.text ?? '',
    version: parts.versionOf(id),
    units: cells.get(id)?.units,
    ...(confirmed.has(id) && { isConfirmed: 1 as const }),
  })

  const settle = (ids: readonly number[], error: unknown) => {
    const problems = new Map(parts.problemsOf(error).map((problem) => [problem.reqTestId, problem]))
    const message = error instanceof Error ? error.message : String(error)
    const isNamed = ids.some((id) => problems.has(id))
    change((next) => {
      for (const id of ids) {
        const cell = next.get(id)
        if (!cell) continue
        const problem = problems.get(id) ?? null
        if (problem) next.set(id, { ...cell, status: statusOf(problem), problem, message: problem.message })
        else
          next.set(id, {
            ...cell,
            status: isNamed ? 'waiting' : 'failed',
            problem: null,
            message: isNamed ? null : message,
          })
      }
    })
  }

  return {
    get: () => cells,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    type: (id: number, text: string) => {
      if (isSaving(id)) return
      confirmed.delete(id)
      put(id, text, 'typing')
    },
    /** The cell is left: a changed text is saved after a delay. */
    commit: (id: number, stored: string) => {
      const cell = cells.get(id)
      if (cell?.status !== 'typing') return
      if (cell.text.trim() === stored) return drop([id])
      put(id, cell.text.trim(), 'waiting')
      sendAfter(typedMs)
    },
    /** A column from a spreadsheet; with a longer delay to undo it. */
    paste: (values: readonly { id: number; text: string }[]) => {
      change((next) => {
        for (const { id, text } of values) {
          if (next.get(id)?.status === 'saving') continue
          confirmed.delete(id)
          const units = parts.unitsOf(id)
          next.set(id, { text: text.trim(), status: 'waiting', units, problem: null, message: null })
        }
      })
      sendAfter(pastedMs)
    },
    /** Undoes what is not being saved yet. */
    undo: (ids: readonly number[]) => drop(ids.filter((id) => !isSaving(id))),
    undoWaiting: () => drop(idsOf('waiting')),
    confirm: (id: number) => {
      confirmed.add(id)
      mark([id], 'waiting')
      return flush()
    },
    retry: (ids: readonly number[]) => {
      mark(ids, 'waiting')
      return flush()
    },
    flush,
    /** Some input is neither saved nor being saved. */
    isStuck: () => [...cells.values()].some(isStuck),
    /** Drops input that will not be saved automatically, or all. */
    giveUp: (isAll: boolean) => drop([...cells].filter(([, cell]) => isAll || isStuck(cell)).map(([id]) => id)),
  }
}

const isStuck = ({ status }: GridCell) => status === 'typing' || status === 'doubtful' || status === 'failed'

const statusOf = ({ kind }: ResultProblem): CellStatus => (kind === 'doubtful' ? 'doubtful' : 'failed')

/** The option with this code, text or prefix; otherwise the text itself. */
export const matchOption = (options: readonly { code: string; description: string }[], text: string): string => {
  const typed = text.trim().toLowerCase()
  if (typed === '') return ''
  const is = (test: (word: string) => boolean) =>
    options.filter(({ code, description }) => test(code.toLowerCase()) || test(description.toLowerCase()))
  const exact = is((word) => word === typed)
  const begun = exact.length > 0 ? exact : is((word) => word.startsWith(typed))
  return begun.length === 1 ? (begun[0]?.code ?? text) : text
}

/** The cells of a copied column: one value a line, the first column if there are several. */
export const pastedColumn = (text: string): string[] => {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')
  return lines.map((line) => line.split('\t')[0]?.trim() ?? '')
}
