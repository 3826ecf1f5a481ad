"""What the page needs besides its components: the look, and a few lines of script for theme and links."""

from __future__ import annotations

from pathlib import Path

from shared.ui.theme import css as look_css

HEAD = """<script>
document.addEventListener('click', (event) => {
  const url = new URL(window.location.href), hit = (name) => event.target.closest && event.target.closest(name);
  if (hit('.sbs-theme')) {
    const dark = document.body.classList.toggle('dark');
    document.body.style.backgroundColor = 'var(--body-background-fill)';
    url.searchParams.set('__theme', dark ? 'dark' : 'light');
    history.replaceState(null, '', url);
  }
  const link = hit('a[href^="?"]'), theme = url.searchParams.get('__theme');
  if (link && theme && !event.defaultPrevented) {
    const to = new URL(link.href);
    to.searchParams.set('__theme', theme);
    link.href = to.pathname + to.search;
  }
}, true);
</script>"""


def css() -> str:
    """The look's style sheet, then the layout of header, tabs and controls."""
    return look_css() + "\n" + Path(__file__).with_name("layout.css").read_text(encoding="utf-8")
