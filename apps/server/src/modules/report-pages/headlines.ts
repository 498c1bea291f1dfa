import type { ReportRow } from '@lis/contract/reports-pages.ts'

export interface Headline {
  value: number | null
  unit: string
  text: string
}

const numberIn = (row: ReportRow | undefined, name: string): number | null => {
  const value = row?.[name]
  return typeof value === 'number' ? value : null
}
const textIn = (row: ReportRow | undefined, name: string) => String(row?.[name] ?? '')
const plainRows = (rows: readonly ReportRow[]) => rows.filter(({ rowKind }) => rowKind === 'row')
const totalRow = (rows: readonly ReportRow[]) => rows.find(({ rowKind }) => rowKind === 'total')
const sumOf = (rows: readonly ReportRow[], name: string) =>
  rows.reduce((sum, row) => sum + (numberIn(row, name) ?? 0), 0)
const one = (count: number, word: string) => `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`

/** The slowest laboratory counts: a mean over several would hide it. */
const turnaroundHeadline = (rows: readonly ReportRow[]): Headline => {
  const totals = rows.filter(({ rowKind }) => rowKind === 'subtotal')
  const [slowest] = totals.toSorted((a, b) => (numberIn(b, 'p90Hours') ?? 0) - (numberIn(a, 'p90Hours') ?? 0))
  const where = totals.length > 1 ? ` in ${textIn(slowest, 'labName')}` : ''
  return {
    value: numberIn(slowest, 'p90Hours'),
    unit: 'h',
    text: slowest
      ? `for 90 of 100${where}, median ${numberIn(slowest, 'medianHours')} h, ${numberIn(slowest, 'overTargetPercent')}% over target`
      : '',
  }
}

const volumeHeadline = (rows: readonly ReportRow[]): Headline => {
  const total = totalRow(rows)
  return {
    value: numberIn(total, 'reqCount'),
    unit: 'requisitions',
    text: `${one(numberIn(total, 'patientCount') ?? 0, 'patient')}, ${one(numberIn(total, 'testCount') ?? 0, 'test')}`,
  }
}

const counted = (unit: string, text: (rows: readonly ReportRow[]) => string) => (rows: readonly ReportRow[]) => ({
  value: plainRows(rows).length,
  unit,
  text: text(rows),
})

/** The one number of each report, from its rows. */
export const headlines: Record<string, (rows: readonly ReportRow[]) => Headline> = {
  QATAT: turnaroundHeadline,
  QAPEND: (rows) => {
    const total = totalRow(rows)
    const old = (numberIn(total, 'age5to10') ?? 0) + (numberIn(total, 'ageOver10') ?? 0)
    return { value: numberIn(total, 'total'), unit: 'requisitions', text: `${old} wait over 5 days` }
  },
  QAFAIL: (rows) => {
    const total = totalRow(rows)
    const [failed, all] = [numberIn(total, 'failCount') ?? 0, numberIn(total, 'testCount') ?? 0]
    return { value: numberIn(total, 'failPercent'), unit: '%', text: `${failed} of ${one(all, 'test')}` }
  },
  QACORR: counted('reports', (rows) =>
    rows
      .filter(({ rowKind }) => rowKind === 'subtotal')
      .map((row) => `${textIn(row, 'kind').replace('Total ', '')} ${textIn(row, 'note')}`)
      .join('; '),
  ),
  QADEMQC: counted('requisitions', (rows) => textIn(totalRow(rows), 'reqStatusDesc')),
  QAISSUE: (rows) => {
    const total = totalRow(rows)
    return {
      value: numberIn(total, 'openCount'),
      unit: 'open',
      text: `${numberIn(total, 'openedCount') ?? 0} opened, ${numberIn(total, 'closedCount') ?? 0} closed`,
    }
  },
  QANOTEST: counted('specimens', (rows) => `${sumOf(plainRows(rows), 'tubeCount')} tubes`),
  QAOOR: counted('results', (rows) => {
    const above = plainRows(rows).filter(({ direction }) => direction === 'Above').length
    return `${above} above, ${plainRows(rows).length - above} below`
  }),
  QACRIT: (rows) => {
    const total = totalRow(rows)
    const [within, late] = [numberIn(total, 'withinCount') ?? 0, numberIn(total, 'lateCount') ?? 0]
    return {
      value: numberIn(total, 'withinPercent'),
      unit: '%',
      text: `${within} of ${one(within + late, 'call')} within the limit, ${numberIn(total, 'openCount') ?? 0} open`,
    }
  },
  SUMCLIENT: volumeHeadline,
  SUMCOLA: volumeHeadline,
  SUMSALES: volumeHeadline,
  SUMTEST: (rows) => {
    const total = totalRow(rows)
    return {
      value: numberIn(total, 'orderedCount'),
      unit: 'tests',
      text: `${numberIn(total, 'resultedCount') ?? 0} resulted, ${numberIn(total, 'failedCount') ?? 0} failed`,
    }
  },
  SUMDIST: (rows) => {
    const both = plainRows(rows).filter(({ sex }) => String(sex).startsWith('both'))
    return {
      value: sumOf(both, 'resultCount') + sumOf(both, 'textCount'),
      unit: 'results',
      text: `${sumOf(both, 'belowCount')} below and ${sumOf(both, 'aboveCount')} above the reportable limits`,
    }
  },
  SUMDELIV: (rows) => {
    const total = totalRow(rows)
    return {
      value: numberIn(total, 'deliveryCount'),
      unit: 'deliveries',
      text: `${numberIn(total, 'failedCount') ?? 0} failed, ${numberIn(total, 'pendingCount') ?? 0} pending`,
    }
  },
  SUMBILL: (rows) => {
    const totals = rows.filter(({ rowKind }) => rowKind === 'total')
    return {
      value: sumOf(totals, 'billedReqCount'),
      unit: 'billed',
      text: totals
        .map(
          (row) =>
            `${(numberIn(row, 'billedAmount') ?? 0).toLocaleString('en-US', { minimumFractionDigits: 2 })} ${textIn(row, 'currencyCode')}`,
        )
        .join(', '),
    }
  },
  SUMUSER: (rows) => ({
    value: sumOf(plainRows(rows), 'loginCount'),
    unit: 'sign-ins',
    text: `by ${plainRows(rows).filter((row) => (numberIn(row, 'loginCount') ?? 0) > 0).length} of ${one(plainRows(rows).length, 'user')}`,
  }),
}
