import '../src/ui/style-nonce.ts'
import '../src/ui/tokens.css'
import '../src/ui/base.css'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Link, MemoryRouter, Route, Routes } from 'react-router'
import { Guard } from '../src/app/guard.tsx'
import { Providers } from '../src/app/providers.tsx'
import { ForbiddenPage } from '../src/app/status-pages.tsx'
import { ApiError } from '../src/lib/api-error.ts'
import { useSession } from '../src/lib/session.ts'
import { CellStatus } from '../src/ui/table/cell-status.tsx'
import type { Column } from '../src/ui/table/column.ts'
import { Table } from '../src/ui/table/table.tsx'
import { useRowSelection } from '../src/ui/table/table-model.ts'
import { useAutoSave } from '../src/ui/table/use-auto-save.ts'

// The largest tables, and cells with a conflict, for the journeys; not part of the product.
interface Row {
  id: number
}
const rowsUpTo = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ id: index + 1 }))
const columns: Column<Row>[] = Array.from({ length: 13 }, (_, index) => ({
  key: `c${index}`,
  header: `Column ${index}`,
  sort: `c${index}`,
  isSticky: index === 0,
  cell: ({ id }) => `Row ${id}, ${index}`,
}))
const idOf = ({ id }: Row) => String(id)
const nameOf = ({ id }: Row) => `row ${id}`
const hrefOf = ({ id }: Row) => `/nowhere/${id}`
const sub = ({ id }: Row) => <p>Under row {id}</p>
const few = rowsUpTo(3)
const hundred = rowsUpTo(100)
const many = rowsUpTo(500)

const Framed = ({ children }: { children: React.ReactNode }) => (
  <div style={{ display: 'flex', height: 420, marginBottom: 16 }}>{children}</div>
)

/** As the list of requisitions draws them: ticks, sorting, sticky first column, a link in each row. */
const Hundred = () => {
  const selection = useRowSelection(hundred, idOf)
  return (
    <Framed>
      <Table
        label="Hundred"
        columns={columns}
        rows={hundred}
        rowId={idOf}
        rowName={nameOf}
        rowHref={hrefOf}
        sort={null}
        onSort={() => undefined}
        selection={selection}
      />
    </Framed>
  )
}

const seen = { version: 7, value: 'theirs', changedBy: 'Grace Hopper', changedAt: '2026-11-15T12:00:00.000Z' }

/** The first save of each cell meets a newer version; the second must come with that one. */
const Cell = ({ label }: { label: string }) => {
  const [stored, setStored] = useState('old')
  const save = async (value: string, version: number) => {
    if (version < seen.version)
      throw new ApiError('Somebody else has changed this record in the meantime.', { status: 409, current: seen })
    setStored(`${value}, version ${version}`)
    return { version: version + 1 }
  }
  const cell = useAutoSave({ label, value: 'old', version: 1, save, delayMs: 1000 })
  return (
    <div style={{ width: 220, margin: 8 }}>
      <input
        aria-label={label}
        value={cell.draft}
        onChange={(event) => cell.change(event.target.value)}
        onKeyDown={({ key }) => key === 'Enter' && cell.flush()}
      />
      <CellStatus cell={cell} label={label} valueIn={({ value }) => String(value)} show={String} />
      <output aria-label={`${label} stored`}>{stored}</output>
    </div>
  )
}

/** Pages limited to departments, which the product does not have: one for the user's own, one for another. */
const Departments = () => {
  const own = useSession()?.userDepts.map(({ deptCode }) => deptCode) ?? []
  const pages = [
    { path: '/own', name: 'Own department', departments: own },
    { path: '/other', name: 'Other department', departments: ['NONE'] },
  ]
  return (
    <MemoryRouter>
      <nav aria-label="Departments">
        {pages.map(({ path, name }) => (
          <p key={path}>
            <Link to={path}>{name}</Link>
          </p>
        ))}
      </nav>
      <Routes>
        <Route path="/" element={null} />
        <Route path="/403" element={<ForbiddenPage />} />
        {pages.map(({ path, name, departments }) => (
          <Route
            key={path}
            path={path}
            element={
              <Guard route={{ path, departments, access: 'home.open', load: async () => () => null }}>
                <h2>{name}</h2>
              </Guard>
            }
          />
        ))}
      </Routes>
    </MemoryRouter>
  )
}

const Gallery = () => {
  const [isDrawn, setDrawn] = useState(false)
  return (
    <main style={{ padding: 16 }}>
      <h1>Table gallery</h1>
      <Cell label="First cell" />
      <Cell label="Second cell" />
      <Framed>
        <Table label="Few" columns={columns} rows={few} rowId={idOf} rowName={nameOf} renderSubTable={sub} />
      </Framed>
      <Framed>
        <Table label="Many" columns={columns} rows={many} rowId={idOf} rowName={nameOf} renderSubTable={sub} />
      </Framed>
      <button type="button" onClick={() => setDrawn(!isDrawn)}>
        {isDrawn ? 'Take away' : 'Draw'}
      </button>
      {isDrawn && <Hundred />}
    </main>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <Providers>
    <MemoryRouter>
      <Gallery />
    </MemoryRouter>
    <Departments />
  </Providers>,
)
