import { type Area, type Proof, proofOf, type Requirement, type TitledTest, testsByRow } from './trace-lib.ts'

/** What was run, on what. */
export interface RunFacts {
  version: string
  /** Short hash of the commit; with 'changed' when the files differed from it. */
  commit: string
  finishedAt: string
  system: [name: string, value: string][]
}

export type Verdict = 'passed' | 'failed' | 'not tested'

interface ProvenRow extends Requirement {
  verdict: Verdict
  proof: Proof
  tests: TitledTest[]
}

export interface ProvenArea {
  name: string
  title: string
  rows: ProvenRow[]
}

/** Each requirement with the tests that name it. One failed test fails the row, whatever the others say. */
export const proveAreas = (areas: Area[], tests: TitledTest[]): ProvenArea[] => {
  const testsOf = testsByRow(areas, tests)
  return areas.map(({ name, title, rows }) => ({
    name,
    title,
    rows: rows.map((row) => {
      const named = testsOf(row.id)
      return { ...row, verdict: verdictOf(named), proof: proofOf(row, named), tests: named }
    }),
  }))
}

const verdictOf = (tests: TitledTest[]): Verdict => {
  if (tests.length === 0) return 'not tested'
  return tests.every(({ passed }) => passed) ? 'passed' : 'failed'
}

export const countVerdicts = (areas: ProvenArea[]): Record<Verdict, number> => {
  const counts = { passed: 0, failed: 0, 'not tested': 0 }
  for (const { rows } of areas) for (const { verdict } of rows) counts[verdict]++
  return counts
}

export const countProofs = (areas: ProvenArea[]): Record<Proof, number> => {
  const counts = { proven: 0, below: 0, 'not proven': 0, 'cannot be shown': 0 }
  for (const { rows } of areas) for (const { proof } of rows) counts[proof]++
  return counts
}

/** The laboratory's validation report: what was asked, which test looked, what came out, when, on which version. */
export const renderPack = (areas: ProvenArea[], failed: TitledTest[], facts: RunFacts): string => {
  const counts = countVerdicts(areas)
  const proofs = countProofs(areas)
  const numbers = numberTests(areas)
  const total = counts.passed + counts.failed + counts['not tested']
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Validation report, LIS ${escapeHtml(facts.version)}</title><style>${style}</style></head><body>
<h1>Validation report</h1>
<p class="lead">Lab Information System (LIS), version ${escapeHtml(facts.version)}, commit ${escapeHtml(facts.commit)}</p>
<table class="facts">${[['Tests finished', facts.finishedAt], ...facts.system].map(([name, value]) => `<tr><th>${escapeHtml(name ?? '')}</th><td>${escapeHtml(value ?? '')}</td></tr>`).join('')}</table>
<h2>Result</h2>
<p><b>${counts.passed} of ${total} requirements passed</b>, ${counts.failed} failed, ${counts['not tested']} not tested. ${failed.length === 0 ? 'No test failed.' : `${failed.length} tests failed.`}</p>
<p>Each requirement is a statement of the specification with a number. A requirement has passed when at least one automated test names its number and every test that names it has passed: against the running product with a real PostgreSQL, through its routes or in a real browser. Decisions on what the specification leaves open are in docs/decisions.md.</p>
<p>Each requirement says at which level it has to be shown: on a screen, by a call, or as a rule by itself. ${proofs.proven} are proven at their level or above, ${proofs.below} below it only, ${proofs['not proven']} not at all; ${proofs['cannot be shown']} say why no test can show them.</p>
<table><thead><tr><th>Area</th><th class="n">Requirements</th><th class="n">Passed</th><th class="n">Failed</th><th class="n">Not tested</th><th class="n">Proven at level</th><th class="n">Below it</th></tr></thead><tbody>${areas.map(summaryRow).join('')}</tbody></table>
${failed.length > 0 ? `<h2>Failed tests</h2><ul>${failed.map(({ title }) => `<li>${escapeHtml(title)}</li>`).join('')}</ul>` : ''}
<h2>Approval by the laboratory</h2>
<p>This report shows what the maker's tests prove. The laboratory adds its own acceptance on its own data, and signs.</p>
<table class="sign"><thead><tr><th></th><th>Name</th><th>Date</th><th>Signature</th></tr></thead><tbody>${['Performed by', 'Reviewed by', 'Approved by (laboratory director)'].map((who) => `<tr><th>${who}</th><td></td><td></td><td></td></tr>`).join('')}</tbody></table>
${areas.map((area) => renderArea(area, numbers)).join('\n')}
${renderTests(numbers)}
</body></html>
`
}

const summaryRow = (area: ProvenArea): string => {
  const counts = countVerdicts([area])
  const proofs = countProofs([area])
  return `<tr><td><a href="#${area.name}">${escapeHtml(area.title)}</a></td><td class="n">${area.rows.length}</td><td class="n">${counts.passed}</td><td class="n">${counts.failed}</td><td class="n">${counts['not tested']}</td><td class="n">${proofs.proven}</td><td class="n">${proofs.below}</td></tr>`
}

/** Tests are named once, at the end, and meant by their number before: most of them prove several rows. */
const numberTests = (areas: ProvenArea[]): Map<TitledTest, number> => {
  const tests = new Set(areas.flatMap(({ rows }) => rows.flatMap((row) => row.tests)))
  return new Map([...tests].map((test, index) => [test, index + 1]))
}

const renderArea = ({ name, title, rows }: ProvenArea, numbers: Map<TitledTest, number>): string =>
  `<section id="${name}"><h2>${escapeHtml(title)}</h2><table class="rows"><thead><tr><th>No.</th><th>Requirement</th><th>Level</th><th>Tests</th><th>Result</th><th>Date (UTC)</th></tr></thead><tbody>${rows.map((row) => renderRow(row, numbers)).join('\n')}</tbody></table></section>`

const renderRow = ({ id, level, text, verdict, proof, tests }: ProvenRow, numbers: Map<TitledTest, number>): string => {
  const own = tests.map((test) => numbers.get(test) ?? 0).sort((a, b) => a - b)
  return `<tr><td class="id">${id}</td><td>${escapeHtml(text.replaceAll('\\|', '|'))}</td><td>${level}${proof === 'below' ? ', proven below' : ''}</td><td class="tests">${rangesOf(own)}</td>${verdictCell(verdict)}<td class="id">${dateOf(tests)}</td></tr>`
}

/** 'T1–T3, T7': one row can have hundreds of tests, made from one table. */
const rangesOf = (numbers: number[]): string =>
  numbers
    .filter((number, index) => numbers[index - 1] !== number - 1)
    .map((first) => {
      let last = first
      while (numbers.includes(last + 1)) last++
      return first === last ? linkTo(first) : `${linkTo(first)}–T${last}`
    })
    .join(', ')
const linkTo = (number: number) => `<a href="#T${number}">T${number}</a>`

const renderTests = (numbers: Map<TitledTest, number>): string =>
  `<section id="tests"><h2>Tests</h2><table class="rows"><thead><tr><th>No.</th><th>Test</th><th>Result</th><th>Date (UTC)</th></tr></thead><tbody>${[...numbers].map(renderTest).join('\n')}</tbody></table></section>`

const renderTest = ([test, number]: [TitledTest, number]): string =>
  `<tr id="T${number}"><td class="id">T${number}</td><td>${escapeHtml(test.title)}</td>${verdictCell(test.passed ? 'passed' : 'failed')}<td class="id">${dateOf([test])}</td></tr>`

const verdictCell = (verdict: Verdict) => `<td class="${verdict.replace(' ', '-')}">${verdict}</td>`

const dateOf = (tests: TitledTest[]): string => {
  const last = Math.max(...tests.map(({ at }) => at ?? 0))
  return last > 0 ? new Date(last).toISOString().slice(0, 16).replace('T', ' ') : ''
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => entities[char] ?? char)

const style = `
body { font: 10pt/1.45 'Open Sans', system-ui, sans-serif; color: #1c2b33; margin: 24px auto; max-width: 1100px; padding: 0 16px }
h1 { font-size: 24pt; color: #004c6a; margin: 0 } h2 { font-size: 14pt; color: #004c6a; margin: 28px 0 8px; break-after: avoid }
.lead { font-size: 12pt; margin: 4px 0 20px }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: 4px 8px; border-bottom: 1px solid #d5dee3 }
thead { display: table-header-group } thead th { background: #eef3f6 } tr { break-inside: avoid }
.facts { width: auto } .n { text-align: right } .id { white-space: nowrap } .sign td { height: 36px; width: 24% }
.rows { font-size: 8.5pt; table-layout: fixed } .rows th:first-child { width: 84px } .rows th:nth-child(3) { width: 64px } .rows th:nth-child(4) { width: 20% } .rows th:nth-last-child(2) { width: 66px } .rows th:last-child { width: 108px }
.rows td { overflow-wrap: anywhere } .tests { color: #4a5b64 }
.passed { color: #1b6e3c; font-weight: 600 } .failed, .not-tested { color: #a4261d; font-weight: 600 }
@media print { body { margin: 0; max-width: none; padding: 0 } section { break-before: page } }
`
