import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { type Cell, type SeedRow, type SeedTable, seedTableNames, seedTables } from './tables.ts'

/** Rows of many tables that are made together and loaded together. */
export interface RowSink {
  add: <Table extends SeedTable>(table: Table, row: SeedRow<Table>) => void
}

const needsEscape = /[\\\t\n\r]/
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

const cellText = (cell: Cell): string => {
  if (cell === null) return '\\N'
  if (typeof cell !== 'string') return typeof cell === 'boolean' ? (cell ? 't' : 'f') : String(cell)
  return needsEscape.test(cell) ? cell.replace(/[\\\t\n\r]/g, (char) => escapes[char] as string) : cell
}

/** Collects rows as COPY text, per table, and sends them in the order of `seedTables`. */
export class CopyBatch implements RowSink {
  readonly #sheets = new Map<SeedTable, Sheet>()

  add<Table extends SeedTable>(table: Table, row: SeedRow<Table>) {
    const columns = seedTables[table] as readonly (keyof SeedRow<Table>)[]
    let line = cellText(row[columns[0] as keyof SeedRow<Table>])
    for (let index = 1; index < columns.length; index += 1) {
      line += `\t${cellText(row[columns[index] as keyof SeedRow<Table>])}`
    }
    let sheet = this.#sheets.get(table)
    if (!sheet) {
      sheet = new Sheet()
      this.#sheets.set(table, sheet)
    }
    sheet.add(line)
  }

  async send(client: PoolClient, counts: Map<string, number>) {
    for (const table of seedTableNames) {
      const sheet = this.#sheets.get(table)
      if (!sheet) continue
      const copy = client.query(copyFrom(`copy ${table} (${seedTables[table].join(', ')}) from stdin`))
      await pipeline(Readable.from(sheet.pieces()), copy)
      counts.set(table, (counts.get(table) ?? 0) + sheet.rows)
    }
    this.#sheets.clear()
  }
}

const pieceLength = 32_768

/** The text of one table. Turned into bytes early, because millions of small strings would keep the garbage collector busy. */
class Sheet {
  rows = 0
  readonly #pieces: Buffer[] = []
  #text = ''

  add(line: string) {
    this.rows += 1
    this.#text += `${line}\n`
    if (this.#text.length > pieceLength) this.#cut()
  }

  pieces(): Buffer[] {
    this.#cut()
    return this.#pieces
  }

  #cut() {
    if (this.#text) this.#pieces.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** Ids are given here and not by the database, so that the same seed gives the same ids. */
export class Ids {
  readonly #last = new Map<SeedTable, number>()

  next(table: SeedTable): number {
    const id = (this.#last.get(table) ?? 0) + 1
    this.#last.set(table, id)
    return id
  }
}
