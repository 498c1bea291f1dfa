import { styled } from '@mui/material/styles'
import { createContext, type ReactNode, use, useEffect } from 'react'
import { Link } from 'react-router'
import { ChevronRightIcon } from './table/table-icons.tsx'

const Bar = styled('header')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  height: 48,
  padding: '0 16px',
  '& h1': {
    flex: '1 1 auto',
    minWidth: 0,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    fontSize: 16,
    lineHeight: '24px',
    fontWeight: 600,
    letterSpacing: '-.005em',
    color: 'var(--text-strong)',
  },
  // On phones the header is part of the shell's top bar, between the hamburger button and the buttons for quick jump and notifications.
  [theme.breakpoints.down('sm')]: {
    position: 'sticky',
    top: 0,
    zIndex: 2,
    height: 56,
    marginTop: -56,
    padding: '0 96px 0 56px',
    gap: 4,
    pointerEvents: 'none',
    '& > *': { pointerEvents: 'auto' },
    // Beside the title and the button of the page there is only room for the mode itself.
    '& .scan-mode small, & .scan-mode .MuiSelect-icon': { display: 'none' },
    '& .scan-mode .MuiSelect-select.MuiSelect-select.MuiSelect-select.MuiSelect-select': { padding: '0 8px' },
  },
}))

/** What the shell adds to the header of every page. */
export const HeaderTools = createContext<ReactNode>(null)

const Trail = styled('nav')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 6,
  color: 'var(--text-3)',
  '& a': { color: 'var(--link)', textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
  [theme.breakpoints.down('sm')]: { display: 'none' },
}))

/** The list that a record belongs to. */
export interface ParentPage {
  to: string
  label: string
}

/** The way from a record to its list, before the title. */
export const Breadcrumbs = ({ parent }: { parent: ParentPage }) => (
  <Trail aria-label="Breadcrumbs">
    <Link to={parent.to}>{parent.label}</Link>
    <ChevronRightIcon size={12} />
  </Trail>
)

interface PageHeaderProps {
  title: string
  parent?: ParentPage | undefined
  action?: ReactNode
}

/** The title of a page and its main action. */
export const PageHeader = ({ title, parent, action }: PageHeaderProps) => {
  useDocumentTitle(title)
  return (
    <Bar>
      {parent && <Breadcrumbs parent={parent} />}
      <h1>{title}</h1>
      {action}
      {use(HeaderTools)}
    </Bar>
  )
}

export const useDocumentTitle = (title: string) => {
  useEffect(() => {
    document.title = `${title} | LIS`
  }, [title])
}
