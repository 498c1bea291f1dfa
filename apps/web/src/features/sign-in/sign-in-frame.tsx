import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { Logo } from '../../ui/logo.tsx'
import { RackPattern } from './rack-pattern.tsx'

const productName = 'Lab Information System (LIS)'

const Frame = styled('div')({ display: 'flex', minHeight: '100dvh', background: 'var(--surface)' })
// The only picture in the product. Its colours are the logo's, in light and dark.
const Panel = styled('aside')(({ theme }) => ({
  flex: 'none',
  position: 'sticky',
  top: 0,
  width: 424,
  height: '100dvh',
  overflow: 'hidden',
  padding: 32,
  background: '#004C6A',
  color: '#fff',
  [theme.breakpoints.down('md')]: { display: 'none' },
}))
const Brand = styled('div')({ display: 'flex', alignItems: 'center', gap: 12, fontSize: 14, fontWeight: 600 })
const Copyright = styled('div')({ position: 'absolute', left: 32, bottom: 24, color: '#CFE5EE' })
const Main = styled('main')({ flex: '1 1 auto', display: 'grid', placeItems: 'center', padding: '32px 24px' })
const Column = styled('div')({ width: '100%', maxWidth: 320 })
const SmallBrand = styled(Brand)(({ theme }) => ({
  marginBottom: 40,
  color: 'var(--text-strong)',
  [theme.breakpoints.up('md')]: { display: 'none' },
}))
const PoweredBy = styled('p')({
  marginTop: 32,
  paddingTop: 16,
  borderTop: '1px solid var(--line)',
  color: 'var(--text-3)',
})

/** The frame of all screens before the menu: the logo and one column for one task. */
export const SignInFrame = ({ children }: { children: ReactNode }) => (
  <Frame>
    <Panel aria-label={productName}>
      <Brand>
        <Logo size={32} tile="#fff" dots="#004C6A" />
        {productName}
      </Brand>
      <RackPattern />
      <Copyright>Copyright | 2025</Copyright>
    </Panel>
    <Main>
      <Column>
        <SmallBrand>
          <Logo size={32} />
          {productName}
        </SmallBrand>
        {children}
        <PoweredBy>Powered by {productName}</PoweredBy>
      </Column>
    </Main>
  </Frame>
)
