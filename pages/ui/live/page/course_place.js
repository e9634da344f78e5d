// Scrolls the course's page to the chapter that its address names.

const FRAMES = 120; // of the screen: the list may come after this

/** @param {{data: {chapter: string}}} component  the class of the chapter's part of the page */
export function render({ data }) {
  let left = FRAMES;
  const look = () => {
    const chapter = document.querySelector(`.${data.chapter}`);
    if (chapter) chapter.scrollIntoView();
    else if (--left) requestAnimationFrame(look);
  };
  look();
}
