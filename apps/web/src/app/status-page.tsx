import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { useDocumentTitle } from '../ui/page-header.tsx'

const Frame = styled('div')({
  flex: '1 1 auto',
  minHeight: '60vh',
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  justifyContent: 'center',
  gap: 8,
  padding: 32,
  textAlign: 'center',
  '& h1': { fontSize: 20, lineHeight: '28px', fontWeight: 600, color: 'var(--text-strong)' },
  '& p': { fontSize: 13, lineHeight: '20px', color: 'var(--text-2)', maxWidth: 400, textWrap: 'balance' },
})

/** A page with one message and one action. */
export const StatusPage = ({ title, children, action }: { title: string; children: ReactNode; action: ReactNode }) => {
  useDocumentTitle(title)
  return (
    <Frame>
      <h1>{title}</h1>
      <p>{children}</p>
      <div style={{ marginTop: 8 }}>{action}</div>
    </Frame>
  )
}
