import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const tour = readFileSync(join(root, 'docs/tour.md'), 'utf8')

const flows = tour
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    stops: [...text.matchAll(/^\d+\. `([^`]+)` · `([^`]+)`/gm)].map(
      ([, file, name]) => [file, name] as [string, string],
    ),
    numbered: text.match(/^\d+\. /gm)?.length ?? 0,
  }))

/** Throws if the file does not exist. */
const exportsOf = (file: string): string[] => {
  const { module } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  return module.staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? ''))
}

describe('docs/tour.md', () => {
  it('has three flows of at most 12 stops, each with a file and an exported name', () => {
    expect(flows).toHaveLength(3)
    for (const { numbered, stops } of flows) {
      expect(stops).toHaveLength(numbered)
      expect(numbered).toBeGreaterThan(0)
      expect(numbered).toBeLessThanOrEqual(12)
    }
  })

  describe.each(flows)('$title', ({ stops }) => {
    it.each(stops)('%s exports %s', (file, name) => {
      expect(exportsOf(file)).toContain(name)
    })
  })
})
